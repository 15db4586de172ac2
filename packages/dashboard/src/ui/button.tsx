import { Check } from 'lucide-react'
import type { ComponentProps } from 'react'

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-md border px-3 min-h-9 text-sm font-medium no-underline disabled:opacity-60'
const LOOKS = {
  primary: 'border-transparent bg-accent text-on-accent hover:opacity-90',
  plain:
    'border-line bg-surface text-ink hover:bg-sunken aria-pressed:border-accent aria-pressed:text-accent',
  bare: 'border-transparent text-soft hover:bg-sunken hover:text-ink',
}

/** The look of a button, for links that look like one. */
export function buttonClass(look: keyof typeof LOOKS = 'plain'): string {
  return `${BASE} ${LOOKS[look]}`
}

/** A button; `pressed` makes it one that stays down, with a tick. */
export function Button({
  look = 'plain',
  pressed,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { look?: keyof typeof LOOKS; pressed?: boolean }) {
  return (
    <button type="button" aria-pressed={pressed} className={`${buttonClass(look)} ${className}`} {...rest}>
      {pressed === true && <Check aria-hidden className="size-4" />}
      {children}
    </button>
  )
}
