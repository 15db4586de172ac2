import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button'

const TOLD_MS = 2_000

/** Copies a text; says so for a moment, or that it could not. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [told, setTold] = useState<string>()
  const copy = async () => {
    // Without https there is no clipboard.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setTold(isCopied ? 'Copied' : 'Select the text to copy it')
    setTimeout(() => setTold(undefined), TOLD_MS)
  }
  return (
    <Button look="bare" onClick={() => void copy()} aria-label={told ?? label}>
      {told === 'Copied' ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
      <span aria-live="polite">{told ?? 'Copy'}</span>
    </Button>
  )
}
