// Runs once in every Almond session, before the first cell: gives the lab its door into Almond and imports the lab's names.
// Almond has no API for clear_output; the course replaces displays and never clears.

lab.Display.install(new lab.Display {
  private def dataOf(bundle: Map[String, String], id: Option[String]): almond.interpreter.api.DisplayData =
    bundle
      .foldLeft(almond.interpreter.api.DisplayData()) { case (data, (mime, text)) =>
        if (mime.endsWith("json")) data.addStringifiedJson(mime, text) else data.add(mime, text)
      }
      .withId(id)

  def show(bundle: Map[String, String], id: Option[String]): Unit = kernel.publish.display(dataOf(bundle, id))
  def update(bundle: Map[String, String], id: String): Unit = kernel.publish.updateDisplay(dataOf(bundle, Some(id)))
  def clear(wait: Boolean): Unit = ()
})

// Cells that start with %%jmh and the like: Almond runs the Scala that the lab puts in their place.
kernel.addExecuteHook { code =>
  Right(lab.CellMagic.translate(code).getOrElse(code))
}

import lab._
