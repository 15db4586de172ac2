import type { Phase } from '@runledger/protocol'
import { listAnnotations, webLink } from '@runledger/presentation'

export function Annotations({ phase }: { phase: Pick<Phase, 'annotations' | 'owner'> }) {
  const annotations = listAnnotations(phase)
  if (annotations.length === 0) return null
  return (
    <dl aria-label="Annotations" className="flex w-full flex-col gap-0.5 text-sm">
      {annotations.map(({ type, description }, index) => (
        <div key={index} className="flex gap-x-2">
          <dt className="shrink-0 max-w-48 wrap-anywhere text-soft">{type}</dt>
          <dd className="min-w-0 whitespace-pre-line wrap-anywhere">
            <Description text={description} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Description({ text }: { text: string }) {
  const address = webLink(text)
  if (address === undefined) return text
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  )
}
