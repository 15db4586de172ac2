import { ScanBarcode } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'

/** Takes a serial number from a scanner, which types it and ends with Enter, or from the keyboard. It keeps the focus. */
export function ScanField({ onScan }: { onScan: (serialNumber: string) => void }) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useKeptFocus(field)
  return (
    <form
      className="min-w-0 grow basis-80"
      onSubmit={(event) => {
        event.preventDefault()
        const serialNumber = text.trim()
        setText('')
        if (serialNumber !== '') onScan(serialNumber)
      }}
    >
      <label htmlFor={id} className="text-sm text-soft">
        Scan or type a serial number, then Enter
      </label>
      <span className="mt-1 flex items-center gap-2 rounded-md border-2 border-soft bg-surface px-3 focus-within:border-accent">
        <ScanBarcode aria-hidden className="size-6 shrink-0 text-soft" />
        <input
          id={id}
          ref={field}
          autoFocus
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          maxLength={255}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-12 min-w-0 grow bg-transparent font-mono text-xl outline-none"
        />
      </span>
    </form>
  )
}

const FIELDS = 'input, textarea, select, [role="dialog"] *'

/** Gives the field the focus when nothing has it, and when something is typed that no other field takes. */
function useKeptFocus(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const focus = () => field.current?.focus({ preventScroll: true })
    const afterBlur = () =>
      requestAnimationFrame(() => {
        const at = document.activeElement
        if (at === document.body || at?.id === 'main') focus()
      })
    const beforeTyping = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return
      if (target instanceof Element && !target.matches(FIELDS)) focus()
    }
    document.addEventListener('focusout', afterBlur)
    document.addEventListener('keydown', beforeTyping, true)
    afterBlur()
    return () => {
      document.removeEventListener('focusout', afterBlur)
      document.removeEventListener('keydown', beforeTyping, true)
    }
  }, [field])
}
