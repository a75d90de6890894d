package lab.machine

/** How long experiments may run, as `COURSE_PROFILE` says when a kernel starts. */
sealed abstract class Profile(setting: String) {

  /** The profile's name in `COURSE_PROFILE`. */
  val name: String = setting

  /** Returns how many rounds an experiment runs that usually runs `usual`. */
  def rounds(usual: Int): Int = usual
  override def toString: String = name
}

object Profile {

  /** The default: a page runs for about a minute, which is enough to show the shape of a result. */
  case object Quick extends Profile("quick")

  /** For tests of the pages: every experiment runs, but its rounds and forks are the fewest that give bounds. Verdicts may stay open. */
  case object Smoke extends Profile("smoke") {
    private[lab] val fewest = 3
    override def rounds(usual: Int): Int = usual.min(fewest)
  }

  /** The settings for results that you would publish. A page may take many minutes. */
  case object Full extends Profile("full")

  /** Returns this kernel's profile.
    *
    * @throws java.lang.IllegalArgumentException if `COURSE_PROFILE` names no profile
    */
  def current: Profile = parse(sys.env.get("COURSE_PROFILE"))

  /** Parses the value of `COURSE_PROFILE`. Without a value, or with an empty one, it returns [[Quick]].
    *
    * @throws java.lang.IllegalArgumentException for any other name
    */
  def parse(setting: Option[String]): Profile = setting.map(_.trim.toLowerCase) match {
    case None | Some("") | Some(Quick.name) => Quick
    case Some(Smoke.name)                   => Smoke
    case Some(Full.name)                    => Full
    case Some(other) =>
      throw new IllegalArgumentException(
        s"COURSE_PROFILE is '$other'; it can be '${Quick.name}', '${Full.name}' or '${Smoke.name}'. " +
          "Set it before the kernel starts, then restart the kernel."
      )
  }
}
