import type { Annotation, Phase } from '@runledger/protocol'

type Annotated = Pick<Phase, 'annotations' | 'tags' | 'owner'>

/** What a test says of itself, but for the owner that is told as such. */
export function listAnnotations({ annotations = [], owner }: Annotated): Annotation[] {
  return annotations.filter(({ type, description }) => type !== 'owner' || description !== owner)
}

/** The tags of a test without those that are only the type of an annotation told beside them. */
export function listOtherTags({ annotations = [], tags = [] }: Annotated): string[] {
  return tags.filter((tag) => !annotations.some(({ type }) => type === tag))
}
