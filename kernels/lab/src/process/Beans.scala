package lab.process

import java.lang.management.ManagementFactory
import javax.management.{JMException, ObjectName}

/** Reads what the JVM reports about itself through its management beans, by name. A bean that this JDK doesn't have is `None`, not an
  * error.
  */
private[lab] object Beans {

  def attribute(bean: String, name: String): Option[Any] = attempt {
    ManagementFactory.getPlatformMBeanServer.getAttribute(new ObjectName(bean), name)
  }

  /** Runs one of the JVM's diagnostic commands, as `jcmd` would from outside, for example `vmNativeMemory` with `summary`. */
  def diagnose(command: String, arguments: String*): Option[String] = attempt {
    ManagementFactory.getPlatformMBeanServer.invoke(
      new ObjectName("com.sun.management:type=DiagnosticCommand"),
      command,
      Array[AnyRef](arguments.toArray),
      Array(classOf[Array[String]].getName)
    )
  }.collect { case text: String => text }

  private def attempt(ask: => AnyRef): Option[AnyRef] =
    try Option(ask)
    catch { case _: JMException => None }
}
