import { DEFINITIONS, type DefinitionName } from '../definitions'

/** What the numbers of a page mean, below them. */
export function Definitions({ of }: { of: readonly DefinitionName[] }) {
  return (
    <details className="rounded-lg border border-line bg-surface text-sm">
      <summary className="px-4 py-2.5 text-soft hover:text-ink">What these numbers mean</summary>
      <ul className="flex max-w-prose list-disc flex-col gap-1.5 pr-4 pb-4 pl-8">
        {of.map((name) => (
          <li key={name}>{DEFINITIONS[name]}</li>
        ))}
      </ul>
    </details>
  )
}

/** A word with its definition, for who points at it; `Definitions` has it for everybody. */
export function Defined({ as, children }: { as: DefinitionName; children: React.ReactNode }) {
  return (
    <span title={DEFINITIONS[as]} className="underline decoration-dotted underline-offset-4">
      {children}
    </span>
  )
}
