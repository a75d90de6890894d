package lab.process

/** A main class of the lab that can run in a JVM of its own. */
trait Program {
  def main(arguments: Array[String]): Unit
}
