package ammonite.course

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Path}
import java.security.NoSuchAlgorithmException
import javax.crypto.Mac

import scala.util.control.NonFatal

import com.google.gson.{JsonElement, JsonObject, JsonParser}
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties

/** Reads the file with which Jupyter gives a kernel its ports and its key. */
private[course] object ConnectionFile {

  /** Signals something with which this kernel can't start: the value, the rule, the remedy. The kernel ends with this exit code. */
  final class Problem(val text: String, val exitCode: Int = 2) extends Exception(text)

  /** The exit code from which `command/setup/starting.py` knows that the kernel will start with other ports. */
  val portTaken = 75

  /** Reads the file.
    *
    * @throws Problem if the file can't be read, or asks for something that this kernel can't do
    */
  def read(path: String): KernelConnectionProperties = new ConnectionFile(path).read()

  private val allPorts = 1 to 65535
}

private[course] final class ConnectionFile(path: String) {
  import ConnectionFile._

  private lazy val fields: JsonObject = {
    val text =
      try Files.readString(Path.of(path))
      catch {
        case problem @ (_: IOException | _: InvalidPathException) =>
          throw new Problem(
            s"The connection file $path can't be read ($problem). Jupyter writes it for a kernel that it starts: " +
              "start the kernel from Jupyter, or name a file that exists."
          )
      }
    val tree =
      try JsonParser.parseString(text)
      catch { case NonFatal(_) => wrong("is no JSON", "It has to be the JSON object that Jupyter writes") }
    if (tree.isJsonObject) tree.getAsJsonObject else wrong("is no JSON object", "It has to be the one that Jupyter writes")
  }

  private def read(): KernelConnectionProperties = {
    val transport = text("transport", "\"tcp\"")
    if (transport != "tcp") bad("transport", "this kernel speaks \"tcp\" only", "Leave Jupyter's KernelManager.transport as it is")
    val scheme = text("signature_scheme", "\"hmac-sha256\" or another of Java's")
    if (!isKnown(scheme)) bad("signature_scheme", "Java has no such scheme", "Leave Jupyter's Session.signature_scheme as it is")
    val key = text("key", "a non-empty text")
    if (key.isEmpty || !key.forall(char => char > ' ' && char <= '~'))
      bad(
        "key",
        "it has to be a non-empty text of ASCII characters, or everybody who reaches the ports could run code here",
        "Leave Jupyter's Session.key as it is: it makes a new one for each kernel"
      )
    new KernelConnectionProperties(
      text("ip", "an address of this machine"),
      port("control_port"),
      port("shell_port"),
      port("stdin_port"),
      port("hb_port"),
      port("iopub_port"),
      transport,
      scheme,
      key
    )
  }

  private def isKnown(scheme: String): Boolean =
    scheme.startsWith("hmac-") && {
      try { Mac.getInstance(scheme.replace("-", "")); true }
      catch { case _: NoSuchAlgorithmException => false }
    }

  private def value(field: String): Option[JsonElement] = Option(fields.get(field)).filterNot(_.isJsonNull)

  private def text(field: String, rule: String): String =
    value(field)
      .filter(found => found.isJsonPrimitive && found.getAsJsonPrimitive.isString)
      .fold(bad(field, s"it has to be $rule"))(_.getAsString)

  private def port(field: String): Int =
    value(field)
      .filter(found => found.isJsonPrimitive && found.getAsJsonPrimitive.isNumber)
      .flatMap(_.getAsString.toIntOption)
      .filter(allPorts.contains)
      .getOrElse(bad(field, s"it has to be a whole number from ${allPorts.start} to ${allPorts.end}"))

  private def bad(field: String, rule: String, remedy: String = "Let Jupyter write the file"): Nothing =
    wrong(s"says \"$field\": ${value(field).getOrElse("nothing")}", rule, remedy)

  private def wrong(what: String, rule: String, remedy: String = "Let Jupyter write the file"): Nothing =
    throw new Problem(s"The connection file $path $what; $rule. $remedy.")
}
