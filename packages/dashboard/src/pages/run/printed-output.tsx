import { formatCount, type Printed, type PrintedText } from '@runledger/presentation'
import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { parseAnsiLine } from './ansi'
import { SUITE_LOG_ANCHOR } from './attachment-text'
import { logLineHash } from './hash'
import { useRunFacts } from './run-context'

const MAX_LINES = 40
// Fewer than these are there without a click.
const SHORT_LINES = 12
const MAX_LINE_LENGTH = 2_000

const PLACES = {
  test: 'What it printed, in the log',
  file: 'What its file printed, in the log',
  log: 'What it printed may be in the log',
}

/** What a test printed, or the way to where the log may have it. */
export function PrintedOutput({ printed }: { printed: Printed }) {
  const { suiteLog, suiteLogId } = useRunFacts()
  if (!suiteLog) return null
  if (printed.kind === 'text')
    return <Output outputs={printed.outputs} address={`#${logLineHash(suiteLog.id, printed.line)}`} />
  const anchor = suiteLogId === undefined ? undefined : SUITE_LOG_ANCHOR
  const hash = printed.kind === 'log' ? anchor : logLineHash(suiteLog.id, printed.line)
  if (hash === undefined) return null
  return (
    <p className="text-sm">
      <a href={`#${hash}`}>{PLACES[printed.kind]}</a>
    </p>
  )
}

interface OutputProps {
  outputs: PrintedText[]
  /** Where all of it is in the log. */
  address: string
}

function Output({ outputs, address }: OutputProps) {
  const lines = outputs.flatMap(({ stream, lines: texts }) =>
    texts.map((text, index) => ({ text, stream, isFirst: index === 0 })),
  )
  const [isOpen, setIsOpen] = useState(lines.length <= SHORT_LINES)
  const shown = lines.slice(-MAX_LINES)
  const left = lines.length - shown.length
  return (
    <div className="relative rounded-md border border-line">
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="flex flex-wrap items-center gap-x-2 px-3 py-2 pr-24 hover:bg-sunken">
          <SquareTerminal aria-hidden className="size-4 shrink-0 text-soft" />
          Printed <span className="text-sm text-soft">{formatCount(lines.length, 'line')}</span>
          <span className="text-sm text-accent">{isOpen ? 'Hide' : 'Read'}</span>
        </summary>
        {isOpen && (
          <div className="border-t border-line">
            {left > 0 && (
              <p className="border-b border-line px-3 py-1 text-sm text-soft">
                The last {shown.length} lines. <a href={address}>Show all in the log</a>
              </p>
            )}
            <div
              ref={scrollToEnd}
              tabIndex={0}
              role="group"
              aria-label="What it printed"
              className="max-h-96 overflow-auto bg-sunken py-1 font-mono text-[0.8125rem] leading-5"
            >
              {shown.map(({ text, stream, isFirst }, index) => (
                <PrintedLine key={index} text={text} stream={isFirst || index === 0 ? stream : undefined} />
              ))}
            </div>
          </div>
        )}
      </details>
      <a href={address} className="absolute top-2 right-3 text-sm">
        In the log
      </a>
    </div>
  )
}

// What was printed last is nearest to the failure.
function scrollToEnd(box: HTMLElement | null): void {
  if (box) box.scrollTop = box.scrollHeight
}

interface PrintedLineProps {
  text: string
  /** Shown where another one begins. */
  stream: PrintedText['stream'] | undefined
}

function PrintedLine({ text, stream }: PrintedLineProps) {
  const isLong = text.length > MAX_LINE_LENGTH
  return (
    <div className="flex min-h-5 pr-3">
      <span
        className={`w-[4.75rem] shrink-0 pl-3 select-none ${stream === 'stderr' ? 'text-warn' : 'text-soft'}`}
      >
        {stream}
      </span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {parseAnsiLine(isLong ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text).map((part, index) => (
          <span key={index} className={part.className}>
            {part.text}
          </span>
        ))}
      </span>
    </div>
  )
}
