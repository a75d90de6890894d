package lab.load

import java.net.{InetAddress, InetSocketAddress}

import com.sun.net.httpserver.HttpServer

import lab.process.Server

/** Reports the state of a server that a page runs, on a separate port, which clients don't call. */
private[lab] object Desk {

  /** Answers by path, and prints its own port and the server's `port`, on which clients can call from now on. */
  def open(port: Int)(answer: String => String): Unit = {
    val desk = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    desk.createContext(
      "/",
      exchange => {
        val body = answer(exchange.getRequestURI.getPath).getBytes
        exchange.sendResponseHeaders(200, body.length.toLong)
        exchange.getResponseBody.write(body)
        exchange.close()
      }
    )
    desk.start()
    println(s"ready; asked on ${desk.getAddress.getPort}, called on $port")
  }

  /** Connects to the desk of `server`. */
  def of(server: Server): HttpConnection = "asked on (\\d+)".r.findFirstMatchIn(server.readyLine) match {
    case Some(found) => HttpConnection(found.group(1).toInt)
    case None        => throw new IllegalStateException(s"$server doesn't say on which port it is asked")
  }
}
