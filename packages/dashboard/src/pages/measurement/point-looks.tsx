type Point = readonly [x: number, y: number]

const CORNERS_OF_CIRCLE = 8

/** Shapes by their corners around 0, about 1 in radius. */
const SHAPES: readonly (readonly Point[])[] = [
  Array.from({ length: CORNERS_OF_CIRCLE }, (_, corner): Point => {
    const angle = (2 * Math.PI * corner) / CORNERS_OF_CIRCLE
    return [Math.cos(angle), Math.sin(angle)]
  }),
  readCorners('-.9,-.9 .9,-.9 .9,.9 -.9,.9'),
  readCorners('0,-1.2 1.1,.8 -1.1,.8'),
  readCorners('0,-1.3 1.3,0 0,1.3 -1.3,0'),
  readCorners('0,1.2 1.1,-.8 -1.1,-.8'),
  readCorners('-1.2,-.4 -.4,-.4 -.4,-1.2 .4,-1.2 .4,-.4 1.2,-.4 1.2,.4 .4,.4 .4,1.2 -.4,1.2 -.4,.4 -1.2,.4'),
]
const COLOURS = ['--accent', '--warn', '--code-keyword', '--good', '--code-string', '--ink']

/** The shape and colour of a group's points, since a colour alone says too little; grey dots without a look. */
export function lookOf(look: number | undefined): { points: readonly Point[]; colour: string } {
  return {
    points: SHAPES[look ?? 0] ?? [],
    colour: look === undefined ? '--soft' : (COLOURS[look] ?? '--soft'),
  }
}

/** The shape of a group beside its name. */
export function PointLook({ look }: { look: number | undefined }) {
  const { points, colour } = lookOf(look)
  return (
    <svg aria-hidden viewBox="-1.5 -1.5 3 3" className="inline-block size-3.5 shrink-0">
      <polygon points={points.join(' ')} style={{ fill: `var(${colour})` }} />
    </svg>
  )
}

function readCorners(text: string): Point[] {
  return text.split(' ').map((corner): Point => {
    const [x = 0, y = 0] = corner.split(',').map(Number)
    return [x, y]
  })
}
