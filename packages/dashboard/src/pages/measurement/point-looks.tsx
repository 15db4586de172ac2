/** A shape as the data of an SVG path around 0, about 1 in radius. */
const SHAPES = [
  'M-1 0A1 1 0 1 0 1 0A1 1 0 1 0 -1 0Z',
  'M-.9-.9H.9V.9H-.9Z',
  'M0-1.2L1.1.8H-1.1Z',
  'M0-1.3L1.3 0L0 1.3L-1.3 0Z',
  'M0 1.2L1.1-.8H-1.1Z',
  'M-1.2-.4H-.4V-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2Z',
]
const COLOURS = ['--accent', '--warn', '--code-keyword', '--good', '--code-string', '--ink']

/** How the points of a group look: shape and colour, since a colour alone tells too little. Those without a look are grey dots. */
export function lookOf(look: number | undefined): { path: string; colour: string } {
  return {
    path: SHAPES[look ?? 0] ?? '',
    colour: look === undefined ? '--soft' : (COLOURS[look] ?? '--soft'),
  }
}

/** The shape of a group beside its name. */
export function PointLook({ look }: { look: number | undefined }) {
  const { path, colour } = lookOf(look)
  return (
    <svg aria-hidden viewBox="-1.5 -1.5 3 3" className="inline-block size-3.5 shrink-0">
      <path d={path} style={{ fill: `var(${colour})` }} />
    </svg>
  )
}
