package ammonite.course

import ammonite.compiler.iface.CompilerLifecycleManager
import ammonite.repl.SessionApiImpl
import ammonite.runtime.Frame
import ammonite.util.{ImportData, Imports}
import lab.magic.ClassFile

/** Brings classes that no Scala cell made into a session ([[lab.magic.SessionClasses]]), in either kernel. It needs nothing but Ammonite.
  */
object SessionFrame {

  /** Defines `classes` in a new frame with its own class loader, because one loader can't have two classes of the same name. Without classes,
    * it only imports the names.
    */
  def define(session: SessionApiImpl, compilers: CompilerLifecycleManager)(classes: Seq[ClassFile], imports: Seq[String]): Unit = {
    val named = Imports(imports.flatMap(ImportData(_, ImportData.TermType)))
    if (classes.isEmpty) session.frames.head.addImports(named)
    else inNewFrame(session, compilers)(classes).addImports(named)
  }

  private def inNewFrame(session: SessionApiImpl, compilers: CompilerLifecycleManager)(classes: Seq[ClassFile]): Frame = {
    val child = session.childFrame(session.frames.head)
    // Sessions freeze what they load, and a frozen frame accepts no imports.
    val frame =
      new Frame(child.classloader, child.pluginClassloader, child.imports, child.classpath, child.usedEarlierDefinitions, child.hooks) {
        override def freeze(): Unit = ()
      }
    session.namedFrames(name) = frame :: session.frames
    session.load(name)
    session.delete(name)
    compilers.addToClasspath(classes.toVector.map(file => s"${file.name.replace('.', '/')}.class" -> file.bytes))
    classes.foreach(file => frame.classloader.addClassFile(file.name, file.bytes))
    // Defined here and now, because a loader asks its parent for classes that it doesn't have yet, and the parent may have older ones.
    classes.foreach(file => frame.classloader.findClassPublic(file.name))
    frame
  }

  private val name = "lab"
}
