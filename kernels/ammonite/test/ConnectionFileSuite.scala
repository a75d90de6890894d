package ammonite.course

import java.nio.file.{Files, Path}

class ConnectionFileSuite extends munit.FunSuite {
  private val whole = """{"ip": "127.0.0.1", "transport": "tcp", "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4,
    "hb_port": 65535, "signature_scheme": "hmac-sha256", "key": "a-key", "kernel_name": "scala-course"}"""

  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("connection"),
    Files.walk(_).sorted(java.util.Comparator.reverseOrder).forEach(Files.delete(_))
  )

  folder.test("Jupyter's file is read") { folder =>
    val properties = ConnectionFile.read(Files.writeString(folder.resolve("file"), whole).toString)
    assertEquals((properties.getIp, properties.getKey, properties.getShellPort, properties.getHbPort), ("127.0.0.1", "a-key", 1, 65535))
  }

  private val bad = Seq(
    ("\"a-key\"", "\"\"", "\"key\": \"\"", "non-empty"),
    ("\"a-key\"", "null", "\"key\": nothing", "non-empty"),
    ("\"a-key\"", "\"schl\u00fcssel\"", "schl\u00fcssel", "ASCII"),
    ("hmac-sha256", "hmac-rot13", "hmac-rot13", "signature_scheme"),
    ("hmac-sha256", "md5", "md5", "signature_scheme"),
    ("\"tcp\"", "\"ipc\"", "\"ipc\"", "\"tcp\""),
    ("\"tcp\"", "6", "6", "\"tcp\""),
    ("\"shell_port\": 1", "\"shell_port\": 70000", "\"shell_port\": 70000", "from 1 to 65535"),
    ("\"shell_port\": 1", "\"shell_port\": 0", "\"shell_port\": 0", "from 1 to 65535"),
    ("\"shell_port\": 1", "\"shell_port\": \"eleven\"", "\"eleven\"", "whole number"),
    ("\"shell_port\": 1", "\"shell_port\": 1.5", "1.5", "whole number"),
    ("\"shell_port\": 1,", "", "\"shell_port\": nothing", "whole number"),
    ("\"127.0.0.1\"", "[]", "\"ip\": []", "address"),
    ("{", "[{", "is no JSON", "Jupyter"),
    (whole, "7", "is no JSON object", "Jupyter"),
    (whole, "", "is no JSON object", "Jupyter")
  )

  for ((before, after, value, rule) <- bad)
    folder.test(s"$before as $after is refused with the value, the rule and a remedy".take(120)) { folder =>
      val path = Files.writeString(folder.resolve("file"), whole.replace(before, after)).toString
      val text = intercept[ConnectionFile.Problem](ConnectionFile.read(path)).text
      for (part <- Seq(path, value, rule)) assert(text.contains(part), text)
      assert(!text.contains("\n"), text)
    }

  folder.test("a missing file is named") { folder =>
    for (path <- Seq(folder.resolve("none").toString, folder.toString, "\u0000"))
      assert(intercept[ConnectionFile.Problem](ConnectionFile.read(path)).text.contains(path))
  }
}
