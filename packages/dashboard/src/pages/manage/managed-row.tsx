import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button'
import { type Fact, FactLine } from '../../ui/facts'
import { useIsChanging } from './manage-context'

/** Renders the form of a change below the row; `opener` is the button. */
export type Form = (opener: HTMLElement, close: () => void) => ReactNode

interface ManagedRowProps {
  name: string
  facts: Fact[]
  /** By the word of its button. */
  forms: Readonly<Record<string, Form>>
  children?: ReactNode
}

/** A row of a list with a name, facts, and buttons that open forms. */
export function ManagedRow({ name, facts, forms, children }: ManagedRowProps) {
  const [open, setOpen] = useState<{ word: string; opener: HTMLElement }>()
  const isChanging = useIsChanging()
  return (
    <li aria-label={name}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          <FactLine facts={facts} />
          {children}
        </div>
        <span className="flex flex-wrap gap-2">
          {Object.keys(forms).map((word) => (
            <Button
              key={word}
              disabled={isChanging}

              onClick={({ currentTarget }) => setOpen({ word, opener: currentTarget })}
            >
              {word}
              <span className="sr-only"> {name}</span>
            </Button>
          ))}
        </span>
      </div>
      {open && <div key={open.word}>{forms[open.word]?.(open.opener, () => setOpen(undefined))}</div>}
    </li>
  )
}
