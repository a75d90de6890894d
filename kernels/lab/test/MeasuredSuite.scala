package lab

class MeasuredSuite extends munit.FunSuite {

  test("a figure, with its bounds where it has some") {
    def found(text: String) = text match {
      case Measured(value) => Some(value)
      case _               => None
    }
    assertEquals(found("1,046"), Some(Chart.Value(1046)))
    assertEquals(found("0.5"), Some(Chart.Value(0.5)))
    assertEquals(found("9.0 (8.5 to 10.5)"), Some(Chart.Value(9.0, error = 1.5, below = 0.5)))
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
