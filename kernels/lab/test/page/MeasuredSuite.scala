package lab.page

class MeasuredSuite extends munit.FunSuite {

  test("a figure, with its bounds where it has some") {
    def found(text: String) = text match {
      case Measured(one) => Some((one.value, one.error, one.down))
      case _             => None
    }
    assertEquals(found("1,046"), Some((1046.0, 0.0, 0.0)))
    assertEquals(found("0.5"), Some((0.5, 0.0, 0.0)))
    assertEquals(found("9.0 (8.5 to 10.5)"), Some((9.0, 1.5, 0.5)))
    assertEquals(found("about 9"), None)
    assertEquals(found("9 (10 to 11)"), None)
  }

  test("within the words of a row") {
    val told = "usually 16.0 asleep at once, the pool has 50 threads" match {
      case s"usually ${Measured(asleep)} asleep at once, the pool has ${Measured(size)} threads" => (asleep.value, size.value)
      case other                                                                                 => fail(other)
    }
    assertEquals(told, (16.0, 50.0))
  }
}
