import { type Color, Picture } from './png'

const [WHITE, INK, PALE, ACCENT, WARNING] = [0, 1, 2, 3, 4]
const PALETTE: readonly Color[] = [
  [255, 255, 255],
  [30, 41, 59],
  [226, 232, 240],
  [13, 148, 136],
  [220, 38, 38],
]

/** A rough screenshot of a shop's page. Equal numbers give equal pictures. */
export function drawScreenshot(number: number): Uint8Array {
  const picture = new Picture(800, 500, PALETTE)
  picture.paint([0, 0, 800, 500], WHITE)
  picture.paint([0, 0, 800, 56], INK)
  picture.paint([24, 18, 120, 20], WHITE)
  picture.paint([640, 18, 136, 20], ACCENT)
  for (let tile = 0; tile < 4; tile++) {
    const x = 24 + tile * 192
    picture.paint([x, 88, 176, 160], PALE)
    picture.paint([x, 260, 60 + ((number + tile * 37) % 100), 12], INK)
    picture.paint([x, 282, 48, 12], ACCENT)
  }
  for (let line = 0; line < 5; line++)
    picture.paint([24, 330 + line * 24, 300 + ((number * (line + 3)) % 380), 10], PALE)
  // The message that the test did not expect.
  picture.paint([24, 460, 752, 24], WARNING)
  return picture.encode()
}
