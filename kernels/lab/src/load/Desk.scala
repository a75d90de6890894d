package lab.load

import java.net.{InetAddress, InetSocketAddress}

import com.sun.net.httpserver.HttpServer

import lab.process.Server

/** Where a server that a page runs is asked how it is, apart from the port on which it is called. */
private[lab] object Desk {

  /** Answers by path, and says where it is to be asked, and that the server is ready to be called on `port`. */
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

  /** A connection to the desk of `server`. */
  def of(server: Server): HttpConnection = "asked on (\\d+)".r.findFirstMatchIn(server.readyLine) match {
    case Some(found) => HttpConnection(found.group(1).toInt)
    case None        => throw new IllegalStateException(s"$server doesn't say where it is asked")
  }
}
