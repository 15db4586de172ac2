import type { TestError } from '@runledger/protocol'
import {
  type DiffLine,
  findDiff,
  parseStack,
  shortenMessage,
  type SourceLink,
  type StackLine,
} from '@runledger/presentation'
import { useMemo } from 'react'
import { CODE, CodeFrame } from './code-frame'
import { Place } from './place'

interface ErrorViewProps {
  error: TestError
  linkSource: SourceLink
}

/** Why something failed: the message, what differs, the code, and the way there. */
export function ErrorView({ error, linkSource }: ErrorViewProps) {
  const diff = useMemo(() => findDiff(error), [error])
  const stack = useMemo(() => parseStack(error), [error])
  return (
    <div className="flex flex-col gap-3">
      <Message text={shortenMessage(error)} />
      {diff.length > 0 && <Diff lines={diff} />}
      {error.snippet !== undefined && error.snippet.trim() !== '' && (
        <CodeFrame snippet={error.snippet} location={error.location} isFailing linkSource={linkSource} />
      )}
      {error.snippet === undefined && error.location && (
        <Place location={error.location} linkSource={linkSource} />
      )}
      {stack.length > 0 && (
        <Stack
          lines={stack}
          isOpenAtFirst={error.snippet === undefined && stack.some(({ isForeign }) => !isForeign)}
          linkSource={linkSource}
        />
      )}
    </div>
  )
}

// What frameworks write before the two values that they compared.
const VALUE_LINE = /^\s*(Expected|Received|Actual)\b[^:]*:/

function Message({ text }: { text: string }) {
  if (text === '') return <p className="text-soft italic">The error has no message.</p>
  return (
    <div className="border-l-4 border-l-bad bg-bad-tint px-3 py-2">
      <pre className="font-mono text-[0.8125rem] leading-5 wrap-anywhere whitespace-pre-wrap">
        {text.split('\n').map((line, index) => (
          <MessageLine key={index} line={line} isFirst={index === 0} />
        ))}
      </pre>
    </div>
  )
}

function MessageLine({ line, isFirst }: { line: string; isFirst: boolean }) {
  const label = VALUE_LINE.exec(line)
  if (!label) return <span className={isFirst ? 'font-semibold' : undefined}>{`${line}\n`}</span>
  const tone = label[1] === 'Expected' ? 'text-good' : 'text-bad'
  return (
    <span>
      {label[0]}
      <span className={`font-semibold ${tone}`}>{line.slice(label[0].length)}</span>
      {'\n'}
    </span>
  )
}

const LOOKS: Record<DiffLine['kind'], { sign: string; className: string; spoken: string }> = {
  expected: { sign: '−', className: 'bg-good-tint text-good', spoken: 'expected: ' },
  actual: { sign: '+', className: 'bg-bad-tint text-bad', spoken: 'actual: ' },
  same: { sign: ' ', className: '', spoken: '' },
  place: { sign: ' ', className: 'text-soft', spoken: '' },
}

function Diff({ lines }: { lines: DiffLine[] }) {
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      <figcaption className="flex flex-wrap gap-x-4 border-b border-line bg-sunken px-3 py-1 text-sm text-soft">
        <span>Difference</span>
        <span className="font-mono text-good">− expected</span>
        <span className="font-mono text-bad">+ actual</span>
      </figcaption>
      <div
        tabIndex={0}
        role="group"
        aria-label="Difference"
        className={`max-h-[32rem] overflow-y-auto ${CODE}`}
      >
        <div className="w-max min-w-full py-1">
          {lines.map((line, index) => {
            const { kind, text } = line
            const { sign, className, spoken } = LOOKS[kind]
            return (
              <div key={index} className={`flex pr-3 whitespace-pre ${className}`}>
                <span aria-hidden className="w-7 shrink-0 text-center select-none">
                  {sign}
                </span>
                {spoken !== '' && <span className="sr-only">{spoken}</span>}
                <span>{text === '' ? ' ' : <DiffText {...line} />}</span>
              </div>
            )
          })}
        </div>
      </div>
    </figure>
  )
}

function DiffText({ text, changed }: DiffLine) {
  if (!changed || changed.start === changed.end) return text
  return (
    <>
      {text.slice(0, changed.start)}
      <span className="font-bold underline underline-offset-2">{text.slice(changed.start, changed.end)}</span>
      {text.slice(changed.end)}
    </>
  )
}

interface StackProps extends Pick<ErrorViewProps, 'linkSource'> {
  lines: StackLine[]
  isOpenAtFirst: boolean
}

function Stack({ lines, isOpenAtFirst, linkSource }: StackProps) {
  return (
    <details open={isOpenAtFirst} className="text-sm">
      <summary className="w-fit text-accent">
        Stack <span className="text-soft">({lines.length === 1 ? '1 line' : `${lines.length} lines`})</span>
      </summary>
      <ol className="mt-1 border-l border-line pl-3 font-mono text-[0.8125rem] leading-5 wrap-anywhere">
        {lines.map(({ text, location, isForeign }, index) => {
          const address = location && linkSource(location)
          return (
            <li key={index} className={isForeign ? 'text-soft' : 'font-medium'}>
              {address === undefined ? (
                text
              ) : (
                <a href={address} rel="noreferrer noopener" target="_blank">
                  {text}
                </a>
              )}
            </li>
          )
        })}
      </ol>
    </details>
  )
}
