import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'

interface ShownOnceProps {
  /** What it is. */
  label: string
  secret: string
  onDone: () => void
}

/** A secret that the service does not show again. */
export function ShownOnce({ label, secret, onDone }: ShownOnceProps) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-warn-tint px-4 py-3 text-sm"
    >
      <p className="w-full text-warn">{label} It is not shown again: copy it now.</p>
      <code className="min-w-0 rounded bg-surface px-2 py-1 wrap-anywhere">{secret}</code>
      <CopyButton text={secret} label="Copy the secret" />
      <Button look="bare" onClick={onDone}>
        Done
      </Button>
    </div>
  )
}
