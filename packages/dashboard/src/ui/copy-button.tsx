import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button'

const TOLD_MS = 2_000

interface CopyButtonProps {
  /** A function if the text takes some work to make. */
  text: string | (() => string)
  /** The accessible name where the word alone is ambiguous. */
  label: string
  word?: string
}

/** Copies a text and briefly shows whether it worked. */
export function CopyButton({ text, label, word = 'Copy' }: CopyButtonProps) {
  const [told, setTold] = useState<string>()
  const copy = async () => {
    const isCopied = await copyText(typeof text === 'string' ? text : text())
    setTold(isCopied ? 'Copied' : 'Select the text to copy it')
    setTimeout(() => setTold(undefined), TOLD_MS)
  }
  return (
    <Button look="bare" onClick={() => void copy()} aria-label={told ?? label}>
      {told === 'Copied' ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
      <span aria-live="polite">{told ?? word}</span>
    </Button>
  )
}

/** False if the text is not on the clipboard. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without https there is no clipboard, but the deprecated `execCommand('copy')` still copies the selection.
    const field = document.createElement('textarea')
    field.value = text
    field.style.position = 'fixed'
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}
