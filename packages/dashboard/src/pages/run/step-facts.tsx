import type { Phase } from '@runledger/protocol'
import { CHIP, OwnerLink, TagLink } from '../../parts/noun-links'
import { listOtherTags, splitStepName } from '@runledger/presentation'

const KINDS = {
  hook: 'Hook',
  suite: 'Outside of tests',
  test: undefined,
  step: undefined,
  measurement: undefined,
}

interface StepFactsProps {
  phase: Pick<Phase, 'kind' | 'owner' | 'tags' | 'annotations'>
  /** Whether its annotations are shown beside it, with their types. */
  hasAnnotations?: boolean
}

/** What a step is where it is no test, who it belongs to, and its tags. */
export function StepFacts({ phase, hasAnnotations = false }: StepFactsProps) {
  const tags = hasAnnotations ? listOtherTags(phase) : phase.tags
  const kind = phase.kind && KINDS[phase.kind]
  if (kind === undefined && phase.owner === undefined && !tags?.length) return null
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5 text-sm">
      {kind !== undefined && <span className={`${CHIP} font-medium text-ink`}>{kind}</span>}
      <Tags tags={tags} />
      {phase.owner !== undefined && <OwnerLink owner={phase.owner} />}
    </span>
  )
}

export function Tags({ tags = [] }: { tags: string[] | undefined }) {
  return tags.map((tag) => <TagLink key={tag} tag={tag} />)
}

/** A step's name, the titles it lies under quieter than its own. */
export function StepName({ name }: { name: string }) {
  if (name.trim() === '') return <span className="text-soft italic">without a name</span>
  const { path, title } = splitStepName(name)
  return (
    <span className="break-words whitespace-pre-wrap">
      {path.length > 0 && <span className="font-normal text-soft">{path.join(' › ')} › </span>}
      <span className="font-medium">{title}</span>
    </span>
  )
}
