package example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;
import org.junit.Ignore;
import org.junit.Test;

public class LampTest {
  private static int tries = 0;

  @Test public void lights() { System.out.println("the lamp is on \u001b[31mred\u001b[0m"); }
  @Test public void isRed() { assertEquals("colour", "red", "green <&> blue"); }
  @Test public void flickers() { if (++tries < 2) throw new IllegalStateException("dark \u0007 at first"); }
  @Ignore("no lamp here") @Test public void isBlue() { }
  @Test public void needsPower() { assumeTrue("no power", false); }
}
