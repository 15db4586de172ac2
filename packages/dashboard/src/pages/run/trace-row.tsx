import type { PlacedAttachment } from '@runledger/presentation'
import { quoteForShell } from '../../format/quote-for-shell'
import { CopyButton } from '../../ui/copy-button'
import { addressOf, AttachmentRow } from './attachment-row'
import { OpenLink, useOpening } from './open-attachment'

/** A trace of Playwright: it opens in the viewer, or with a command. */
export function TraceRow(placed: PlacedAttachment) {
  const address = addressOf(placed.attachment)
  const { url: opened, problem } = useOpening(placed, true)
  if (address === undefined) return <AttachmentRow {...placed} />
  const commandFor = (what: string) => `npx playwright show-trace ${quoteForShell(what)}`
  const url = new URL(address, window.location.href).href
  return (
    <div className="flex flex-col gap-1">
      <AttachmentRow
        {...placed}
        action={opened && <OpenLink url={opened} word="Open trace" fileName={placed.fileName} />}
      />
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-soft">
        {problem === undefined ? 'Or in a terminal:' : `${problem} Open it with`}
        <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-[0.8125rem] text-ink wrap-anywhere">
          {commandFor(placed.fileName)}
        </code>
        <CopyButton
          text={commandFor(url)}
          label={`Copy command for this address of ${placed.fileName}`}
          word="Copy command for this address"
        />
      </p>
    </div>
  )
}
