package lab.load

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.{HexFormat, Locale, Random}

/** Creates JSON documents for experiments that parse them: arrays of invented orders, as a shop's API might return them. Nothing is stored.
  * The same arguments give the same bytes on every machine, because `java.util.Random` specifies its sequence. It is thread-safe.
  */
object Payload {

  /** Returns `count` orders, about 0.46 KiB each, in UTF-8 without line breaks. A longer document with the same seed begins with the orders
    * of a shorter one.
    *
    * @throws java.lang.IllegalArgumentException if `count` is less than 1
    */
  def orders(count: Int, seed: Long = 1): Array[Byte] = {
    if (count < 1) throw new IllegalArgumentException(s"count = $count: a document has at least one order. Try `Payload.orders(1000)`.")
    val random = new Random(seed)
    (1 to count).map(order(random, _)).mkString("[", ",", "]").getBytes(UTF_8)
  }

  /** Writes an order as text. The lists below contain nothing that JSON would escape. So a forked JVM that has the lab but no JSON library
    * can create the same documents.
    */
  private def order(random: Random, number: Int): String = {
    def one(words: Vector[String]): String = words(random.nextInt(words.size))
    val at = Instant.ofEpochSecond(firstSecond + random.nextInt(secondsOfAYear))
    val name = one(names)
    val email = s"${name.toLowerCase(Locale.ROOT)}${random.nextInt(10000)}@example.org"
    val customer = s"""{"name":"$name","email":"$email","city":"${one(cities)}","regular":${random.nextBoolean()}}"""
    val lines = (1 to 1 + random.nextInt(6)).map { _ =>
      val (sku, title) = (hex.toHexDigits(random.nextInt(0x1000000).toLong, 6), s"${one(adjectives)} ${one(things)}")
      s"""{"sku":"$sku","title":"$title","quantity":${1 + random.nextInt(5)},"cents":${50 + random.nextInt(20000)}}"""
    }
    val note = (1 to 5 + random.nextInt(20)).map(_ => one(words)).mkString(" ")
    s"""{"id":$number,"at":"$at","customer":$customer,"lines":${lines.mkString("[", ",", "]")},"note":"$note"}"""
  }

  private val hex = HexFormat.of
  private val firstSecond = Instant.parse("2025-01-01T00:00:00Z").getEpochSecond
  private val secondsOfAYear = 365 * 24 * 60 * 60

  private val names = Vector("Amal", "Beatriz", "Chen", "Dmitri", "Esra", "Fatou", "Gül", "Hana", "Ivo", "Jürgen", "Kemi", "Łucja")
  private val cities =
    Vector("Accra", "Bogotá", "Dakar", "Göteborg", "Hanoi", "İzmir", "Kraków", "Lima", "Pune", "São Paulo", "Tōkyō", "Zürich")
  private val adjectives = Vector("blue", "compact", "folding", "heavy", "large", "plain", "quiet", "second-hand", "spare", "wooden")
  private val things = Vector("bell", "chair", "desk", "kettle", "lamp", "map", "notebook", "pump", "rope", "saddle", "tent", "torch")
  private val words =
    Vector("after", "bell", "door", "fragile", "leave", "left", "neighbour", "please", "porch", "“ring”", "second", "the", "twice", "with")
}
