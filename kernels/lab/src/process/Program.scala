package lab.process

/** A main class of the lab that can run in a separate JVM. */
trait Program {
  def main(arguments: Array[String]): Unit
}
