import { toPlainText } from '@runledger/presentation'
import { ChevronDown, ChevronUp } from 'lucide-react'
import {
  memo,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { parseAnsiLine } from './ansi'
import { logLineHash } from './hash'

// As many lines are all there, wrapped, for the browser's own search; of more only those in sight.
const MAX_WRAPPED_LINES = 2_000
const LINE_PX = 20
const MARGIN_LINES = 16
const MAX_HEIGHT_PX = 512

interface LogViewProps {
  attachmentId: string
  fileName: string
  text: string
  /** The line that the address names. */
  line: number | undefined
}

/** A text by its lines: each has a link, and a search finds them. */
export function LogView({ attachmentId, fileName, text, line }: LogViewProps) {
  const lines = useMemo(() => splitLines(text), [text])
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(line)
  const box = useRef<HTMLDivElement>(null)
  const found = useFoundLines(lines, words)
  const isWrapped = lines.length <= MAX_WRAPPED_LINES
  const show = (number: number) => {
    setChosen(number)
    scrollToLine(box.current, number)
  }
  useEffect(() => {
    if (line === undefined) return
    setChosen(line)
    scrollToLine(box.current, line)
    box.current?.scrollIntoView({ block: 'center' })
  }, [line])
  const foundSet = useMemo(() => new Set(found), [found])
  const rows = { lines, chosen, found: foundSet, attachmentId }
  return (
    <div className="border-t border-line">
      {lines.length > 1 && (
        <LogBar
          {...{ fileName, words, setWords, found, chosen, show }}
          address={chosen === undefined ? undefined : logLineHash(attachmentId, chosen)}
        />
      )}
      <div
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={`Text of ${fileName}`}
        style={{ maxHeight: MAX_HEIGHT_PX }}
        className="relative overflow-auto bg-sunken font-mono text-[0.8125rem] leading-5"
      >
        {text === '' && <p className="p-3 text-soft">(empty)</p>}
        {isWrapped ? <WrappedLines {...rows} /> : <LinesInSight {...rows} box={box} />}
      </div>
    </div>
  )
}

function splitLines(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Numbers of the lines that have the words in them. */
function useFoundLines(lines: string[], words: string): number[] {
  const wanted = useDeferredValue(words.trim().toLowerCase())
  return useMemo(() => {
    if (wanted === '') return []
    return lines.flatMap((raw, index) => (toPlainText(raw).toLowerCase().includes(wanted) ? [index + 1] : []))
  }, [lines, wanted])
}

interface LogBarProps {
  fileName: string
  words: string
  setWords: (words: string) => void
  found: number[]
  chosen: number | undefined
  show: (line: number) => void
  address: string | undefined
}

function LogBar({ fileName, words, setWords, found, chosen, show, address }: LogBarProps) {
  const at = found.indexOf(chosen ?? -1)
  const move = (by: number) => {
    const start = at < 0 && by < 0 ? 0 : at
    const next = found[(start + by + found.length) % found.length]
    if (next !== undefined) show(next)
  }
  const moveByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') move(event.shiftKey ? -1 : 1)
    if (event.key === 'Escape') setWords('')
  }
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5">
      <input
        type="search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={moveByKey}
        placeholder="Find in this text"
        aria-label={`Find in ${fileName}`}
        className="min-h-8 w-56 max-w-full rounded-md border border-line bg-surface px-2 text-sm"
      />
      {words.trim() !== '' && (
        <>
          <span role="status" className="numeric text-sm text-soft">
            {found.length === 0
              ? 'no line has it'
              : `${at < 0 ? '' : `${(at + 1).toLocaleString('en')} of `}${found.length.toLocaleString('en')}`}
          </span>
          <Button
            look="bare"
            aria-label="Previous line found"
            disabled={found.length === 0}
            onClick={() => move(-1)}
          >
            <ChevronUp aria-hidden className="size-4" />
          </Button>
          <Button
            look="bare"
            aria-label="Next line found"
            disabled={found.length === 0}
            onClick={() => move(1)}
          >
            <ChevronDown aria-hidden className="size-4" />
          </Button>
        </>
      )}
      {address !== undefined && (
        <span className="ml-auto">
          <CopyButton
            text={() => new URL(`#${address}`, window.location.href).href}
            label={`Copy a link to line ${chosen}`}
            word={`Link to line ${chosen}`}
          />
        </span>
      )}
    </div>
  )
}

interface LinesProps {
  lines: string[]
  chosen: number | undefined
  found: Set<number>
  attachmentId: string
}

function WrappedLines({ lines, ...rest }: LinesProps) {
  return (
    <div className="py-1 wrap-anywhere whitespace-pre-wrap">
      {lines.map((raw, index) => (
        <Line key={index} raw={raw} number={index + 1} {...lookOf(index + 1, rest)} />
      ))}
    </div>
  )
}

function LinesInSight({ lines, box, ...rest }: LinesProps & { box: RefObject<HTMLDivElement | null> }) {
  const [first, setFirst] = useState(0)
  const longest = useMemo(() => lines.reduce((most, { length }) => Math.max(most, length), 0), [lines])
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    // A step of some lines keeps most movements from rendering anything.
    const follow = () => {
      const line = Math.floor(element.scrollTop / LINE_PX / MARGIN_LINES) * MARGIN_LINES
      setFirst(Math.max(0, line - MARGIN_LINES))
    }
    follow()
    element.addEventListener('scroll', follow, { passive: true })
    return () => element.removeEventListener('scroll', follow)
  }, [box])
  const count = MAX_HEIGHT_PX / LINE_PX + 3 * MARGIN_LINES
  return (
    <div style={{ height: lines.length * LINE_PX, width: `calc(${longest}ch + 6rem)`, minWidth: '100%' }}>
      <div className="absolute min-w-full whitespace-pre" style={{ top: first * LINE_PX }}>
        {lines.slice(first, first + count).map((raw, index) => (
          <Line
            key={first + index}
            raw={raw}
            number={first + index + 1}
            {...lookOf(first + index + 1, rest)}
          />
        ))}
      </div>
    </div>
  )
}

interface LineProps {
  raw: string
  number: number
  isChosen: boolean
  isFound: boolean
  attachmentId: string
}

function lookOf(number: number, { chosen, found, attachmentId }: Omit<LinesProps, 'lines'>) {
  return { isChosen: number === chosen, isFound: found.has(number), attachmentId }
}

const Line = memo(function Line({ raw, number, isChosen, isFound, attachmentId }: LineProps) {
  return (
    <div
      data-line={number}
      aria-current={isChosen || undefined}
      className={`flex min-h-5 pr-3 ${isChosen ? 'bg-warn-tint' : ''}`}
    >
      <a
        href={`#${logLineHash(attachmentId, number)}`}
        tabIndex={-1}
        aria-label={`Line ${number}`}
        className={`w-14 shrink-0 pr-3 text-right no-underline select-none ${isFound ? 'border-l-4 border-l-warn font-semibold text-warn' : 'text-soft'}`}
      >
        {number}
      </a>
      <span className="min-w-0">
        {parseAnsiLine(raw).map(({ text, className }, index) => (
          <span key={index} className={className}>
            {text}
          </span>
        ))}
      </span>
    </div>
  )
})

function scrollToLine(box: HTMLDivElement | null, number: number): void {
  if (!box) return
  const row = box.querySelector<HTMLElement>(`[data-line="${number}"]`)
  // Lines in sight only are all of one height, and lie in a box of their own.
  const top = row?.offsetParent === box ? row.offsetTop : (number - 1) * LINE_PX
  box.scrollTop = top - box.clientHeight / 2
}
