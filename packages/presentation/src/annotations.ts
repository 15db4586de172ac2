import type { Annotation, Phase } from '@runledger/protocol'

type Annotated = Pick<Phase, 'annotations' | 'tags' | 'owner'>

/** Annotations, except the owner that is shown as such. */
export function listAnnotations({ annotations = [], owner }: Annotated): Annotation[] {
  return annotations.filter(({ type, description }) => type !== 'owner' || description !== owner)
}

/** Tags that are not merely the type of an annotation. */
export function listOtherTags({ annotations = [], tags = [] }: Annotated): string[] {
  return tags.filter((tag) => !annotations.some(({ type }) => type === tag))
}
