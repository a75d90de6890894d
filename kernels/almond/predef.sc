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

// Classes of %%kotlin cells: in a frame, and so in a class loader, of their own, as one loader can't have two classes of a name.
lab.SessionClasses.install { (classes, imports) =>
  val session = repl.sess.asInstanceOf[ammonite.repl.SessionApiImpl]
  val child = session.childFrame(session.frames.head)
  // Sessions freeze what they load, and a frozen frame takes no imports.
  val frame = new ammonite.runtime.Frame(
    child.classloader,
    child.pluginClassloader,
    child.imports,
    child.classpath,
    child.usedEarlierDefinitions,
    child.hooks
  ) {
    override def freeze(): Unit = ()
  }
  session.namedFrames("lab") = frame :: session.frames
  session.load("lab")
  session.delete("lab")
  repl._compilerManager.addToClasspath(classes.toVector.map(file => s"${file.name.replace('.', '/')}.class" -> file.bytes))
  classes.foreach(file => frame.classloader.addClassFile(file.name, file.bytes))
  // Defined here and now, for a loader asks its parent for classes that it doesn't have yet, and the parent may have older ones.
  classes.foreach(file => frame.classloader.findClassPublic(file.name))
  frame.addImports(ammonite.util.Imports(imports.flatMap(ammonite.util.ImportData(_, ammonite.util.ImportData.TermType))))
}

// Cells that start with %%jmh and the like: Almond runs the Scala that the lab puts in their place.
kernel.addExecuteHook { code =>
  Right(lab.CellMagic.translate(code).getOrElse(code))
}

import lab._
