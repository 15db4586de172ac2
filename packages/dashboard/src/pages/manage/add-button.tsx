import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button'
import { useIsChanging } from './manage-context'

interface AddButtonProps {
  word: string
  /** Renders the form; `opener` is the button. */
  children: (opener: HTMLElement | undefined, close: () => void) => ReactNode
}

/** A button that opens a form below it. */
export function AddButton({ word, children }: AddButtonProps) {
  const [opener, setOpener] = useState<HTMLElement>()
  return (
    <>
      <Button
        className="self-start"
        aria-expanded={opener !== undefined}
        disabled={useIsChanging()}
        onClick={({ currentTarget }) => setOpener(opener ? undefined : currentTarget)}
      >
        {word}
      </Button>
      {opener && children(opener, () => setOpener(undefined))}
    </>
  )
}
