import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import type { Secret } from './manage-context'

/** A secret that the service does not show again. It gets the focus, so that its button is next in the order of the keyboard. */
export function ShownOnce({ secret: { label, text }, onDone }: { secret: Secret; onDone: () => void }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  const notice = `${label} It is not shown again: copy it now.`
  return (
    <section
      ref={box}
      aria-label={notice}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-warn-tint px-4 py-3 text-sm"
    >
      <p className="w-full text-warn">{notice}</p>
      <code className="min-w-0 rounded bg-surface px-2 py-1 wrap-anywhere">{text}</code>
      <CopyButton text={text} label="Copy it" />
      <Button look="bare" onClick={onDone}>
        Done
      </Button>
    </section>
  )
}
