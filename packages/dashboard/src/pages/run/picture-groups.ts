import type { PlacedAttachment } from '@runledger/presentation'

/** Pictures that belong together: what was expected, what came, and where they differ. */
export interface ComparedPictures {
  name: string
  expected: PlacedAttachment | undefined
  actual: PlacedAttachment
  diff: PlacedAttachment | undefined
}

const ROLE = /^(.*)-(expected|actual|diff)((?: \(\d+\))?\.\w+)$/

/** Finds the pictures that are named as one comparison (`x-expected.png`, `x-actual.png`, `x-diff.png`). */
export function groupPictures(pictures: PlacedAttachment[]): {
  compared: ComparedPictures[]
  others: PlacedAttachment[]
} {
  const groups = new Map<string, Map<string, PlacedAttachment>>()
  for (const picture of pictures) {
    const [, name, role, end] = ROLE.exec(picture.fileName) ?? []
    if (name === undefined || role === undefined) continue
    const key = `${name}${end}`
    const group = groups.get(key) ?? new Map<string, PlacedAttachment>()
    groups.set(key, group.set(role, picture))
  }
  const compared = [...groups].flatMap(([name, group]): ComparedPictures[] => {
    const [expected, actual, diff] = ['expected', 'actual', 'diff'].map((role) => group.get(role))
    return actual && (expected ?? diff) ? [{ name, expected, actual, diff }] : []
  })
  const taken = new Set(compared.flatMap(({ expected, actual, diff }) => [expected, actual, diff]))
  return { compared, others: pictures.filter((picture) => !taken.has(picture)) }
}
