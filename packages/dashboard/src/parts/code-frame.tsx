import type { TestError } from '@runledger/protocol'
import { parseSnippet, type SnippetLine, type SourceLink } from '@runledger/presentation'
import { useMemo } from 'react'
import { highlightLines, type CodePart } from './highlight'
import { Place } from './place'

export const CODE = 'overflow-x-auto font-mono text-[0.8125rem] leading-5'

interface CodeFrameProps {
  snippet: string
  location: TestError['location']
  /** Whether its marked line is one that failed. */
  isFailing: boolean
  linkSource: SourceLink
}

export function CodeFrame({ snippet, location, isFailing, linkSource }: CodeFrameProps) {
  const lines = useMemo(() => readLines(snippet, location), [snippet, location])
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      {location && (
        <figcaption className="border-b border-line bg-sunken px-3 py-1">
          <Place location={location} linkSource={linkSource} />
        </figcaption>
      )}
      <div
        tabIndex={0}
        role="group"
        aria-label={isFailing ? 'Code around the failing line' : 'Code around the call'}
        className={CODE}
      >
        <div className="w-max min-w-full py-1">
          {lines.map((line, index) => (
            <CodeLine key={index} line={line} isFailing={isFailing} />
          ))}
        </div>
      </div>
    </figure>
  )
}

interface ShownLine extends SnippetLine {
  parts: CodePart[]
}

// Only lines of code have colours, and all of them at once: a text or comment may go on over several.
function readLines(snippet: string, location: TestError['location']): ShownLine[] {
  const lines = parseSnippet(snippet, location?.line)
  const isFrame = lines.some(({ number }) => number !== undefined)
  const isCode = ({ number }: SnippetLine) => !isFrame || number !== undefined
  const texts = lines.filter(isCode).map(({ text }) => text)
  const colored = highlightLines(texts, location?.file)
  let at = 0
  return lines.map((line) => {
    const parts = isCode(line) ? colored?.[at++] : undefined
    return { ...line, parts: parts ?? [{ text: line.text, className: '' }] }
  })
}

function CodeLine({ line, isFailing }: { line: ShownLine; isFailing: boolean }) {
  const { number, text, parts, isFailing: isMarked } = line
  const tone = isFailing ? 'text-bad' : 'text-accent'
  const tint = isFailing ? 'bg-bad-tint' : 'bg-sunken'
  return (
    <div className={`flex pr-3 whitespace-pre ${isMarked ? tint : ''}`}>
      <span aria-hidden className={`w-5 shrink-0 text-center select-none ${tone}`}>
        {isMarked ? '▶' : ''}
      </span>
      <span className="w-10 shrink-0 pr-3 text-right text-soft select-none">{number}</span>
      {isMarked && <span className="sr-only">{isFailing ? 'failing line: ' : 'this line: '}</span>}
      <code className={isMarked ? 'font-semibold' : isCaret(text) ? tone : ''}>
        {text === '' ? ' ' : parts.map((part, index) => <Part key={index} {...part} />)}
      </code>
    </div>
  )
}

function Part({ text, className }: CodePart) {
  return className === '' ? text : <span className={className}>{text}</span>
}

function isCaret(text: string): boolean {
  return /^\s*\^+/.test(text)
}
