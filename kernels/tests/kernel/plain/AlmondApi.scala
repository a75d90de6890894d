// The part of Almond's API that the lab's front-end bindings use, in the packages and with the signatures of Almond 0.14.5. It is for
// machines whose repositories have no Almond. It only forwards calls. If Almond is available, the test also runs on Almond itself.

package almond.interpreter.api {

  import scala.collection.immutable.ListMap

  final case class DisplayData(detailedData: ListMap[String, DisplayData.Value], id: Option[String]) {
    def add(mimeType: String, data: String): DisplayData = copy(detailedData + (mimeType -> DisplayData.Value.String(data)))
    def addStringifiedJson(mimeType: String, data: String): DisplayData = copy(detailedData + (mimeType -> DisplayData.Value.Json(data)))
    def withId(idOpt: Option[String]): DisplayData = copy(id = idOpt)
  }

  object DisplayData {
    val empty: DisplayData = DisplayData(ListMap.empty, None)
    def apply(): DisplayData = empty
    def text(text: String): DisplayData = empty.add("text/plain", text)

    sealed abstract class Value { def asString: Option[Predef.String] }
    object Value {
      final case class String(value: Predef.String) extends Value { def asString: Option[Predef.String] = Some(value) }
      final case class Json(value: Predef.String) extends Value { def asString: Option[Predef.String] = None }
    }
  }

  sealed abstract class ExecuteResult
  object ExecuteResult {
    final case class Success(data: DisplayData = DisplayData.empty) extends ExecuteResult
    case object Abort extends ExecuteResult
  }

  abstract class OutputHandler {
    def display(displayData: DisplayData): Unit
    def updateDisplay(displayData: DisplayData): Unit
  }
}

package almond.api {

  import almond.interpreter.api.{ExecuteResult, OutputHandler}
  import ammonite.interp.api.APIHolder

  abstract class JupyterApi {
    def publish: OutputHandler
    def addExecuteHook(hook: JupyterApi.ExecuteHook): Boolean
    def addPostRunHook(hook: JupyterApi.PostRunHook): Boolean
  }

  object JupyterApi {
    abstract class ExecuteHook { def hook(code: String): Either[ExecuteHookResult, String] }
    abstract class PostRunHook { def process(result: ExecuteResult): ExecuteResult }
    sealed abstract class ExecuteHookResult
  }

  class JupyterAPIHolder
  object JupyterAPIHolder extends APIHolder[JupyterApi]
}
