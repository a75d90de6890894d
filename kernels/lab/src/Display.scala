package lab

import java.util.concurrent.atomic.AtomicLong

/** The one door through which anything rich leaves a cell: each kernel installs its own.
  *
  * A bundle maps a MIME type to its text; under a type that ends in `json` the text is JSON and reaches the front end as a JSON object. Every
  * bundle holds `text/plain`, for those who cannot see the rest. Call it from the cell's own thread: output of a background thread lands in
  * whatever cell is running.
  */
trait Display {

  /** Publishes `bundle`; with an `id` it can be replaced later. */
  def show(bundle: Map[String, String], id: Option[String]): Unit

  /** Replaces, in place and in whichever cell it stands, what was shown under `id`. */
  def update(bundle: Map[String, String], id: String): Unit

  /** Clears the running cell's output; with `wait`, only when the next output arrives. */
  def clear(wait: Boolean): Unit
}

object Display {

  /** Where no notebook is listening (tests, forked JVMs), the plain text goes to standard output. */
  private val console: Display = new Display {
    def show(bundle: Map[String, String], id: Option[String]): Unit = println(bundle.getOrElse("text/plain", ""))
    def update(bundle: Map[String, String], id: String): Unit = show(bundle, None)
    def clear(wait: Boolean): Unit = ()
  }

  @volatile private var door: Display = console
  private val ids = new AtomicLong

  /** Called once by the kernel. */
  def install(kernel: Display): Unit = door = kernel

  def show(bundle: Map[String, String]): Unit = door.show(bundle, None)

  /** Shows `bundle` and returns the handle that replaces it. */
  def updatable(bundle: Map[String, String]): Handle = {
    val id = s"lab-${ProcessHandle.current.pid}-${ids.incrementAndGet()}"
    door.show(bundle, Some(id))
    new Handle(id)
  }

  def clear(wait: Boolean = false): Unit = door.clear(wait)

  final class Handle private[Display] (val id: String) {
    def update(bundle: Map[String, String]): Unit = door.update(bundle, id)
  }
}
