package lab.machine

/** How long experiments may run: what `COURSE_PROFILE` says when a kernel starts. */
sealed abstract class Profile(setting: String) {

  /** As `COURSE_PROFILE` has it. */
  val name: String = setting
  override def toString: String = name
}

object Profile {

  /** The default: a page runs in a minute or so, enough to see the shape of a result. */
  case object Quick extends Profile("quick")

  /** The settings one would publish; a page may take many minutes. */
  case object Full extends Profile("full")

  /** The profile named by `setting`, the value of `COURSE_PROFILE` (absent or empty means quick).
    *
    * @throws java.lang.IllegalArgumentException for any other name
    */
  def parse(setting: Option[String]): Profile = setting.map(_.trim.toLowerCase) match {
    case None | Some("") | Some(Quick.name) => Quick
    case Some(Full.name)                    => Full
    case Some(other) =>
      throw new IllegalArgumentException(
        s"COURSE_PROFILE is '$other'; it can be '${Quick.name}' or '${Full.name}'. Set it before the kernel starts, then restart the kernel."
      )
  }
}
