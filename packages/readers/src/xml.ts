import type { Pace } from '@runledger/protocol'
import { SaxesParser } from 'saxes'
import { fileOf } from './read-error'

export interface XmlElement {
  /** Without a namespace's prefix. */
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  /** Its own text, without that of its children. */
  text: string
  /** The line in which its opening tag ends, counted from 1. */
  line: number
}

export interface XmlVisitor {
  onOpen(element: XmlElement, parents: readonly XmlElement[]): void
  /** Called at its end, with all that it holds; true when its parent needs it no more. */
  onClose(element: XmlElement, parents: readonly XmlElement[]): boolean
  onComment?(text: string): void
}

const MAX_DEPTH = 100
const SLICE_LENGTH = 16 * 1024

/** Reads XML piece by piece. @throws ReadError for what is not well-formed, is cut off, or has a DTD */
export function readXml(text: string, visitor: XmlVisitor): void {
  const parser = createParser(visitor)
  for (let at = 0; at < text.length;) {
    const end = findSliceEnd(text, at)
    parser.write(allowControls(text.slice(at, end)))
    at = end
  }
  parser.close()
}

// Elements, attributes and references such as `&amp;` take far more memory than their text.
const MAX_PARTS = 300_000

/** Reads XML whole. @throws ReadError as `readXml` does, and for more than 300,000 elements, attributes and references */
export async function parseXml(text: string, pace?: Pace): Promise<XmlElement> {
  let root: XmlElement | undefined
  let count = 0
  const add = (parts: number): void => {
    count += parts
    if (count <= MAX_PARTS) return
    throw fileOf(`it has more than ${MAX_PARTS} elements, attributes and references: split it`)
  }
  const parser = createParser({
    onOpen(element, parents) {
      add(1 + Object.keys(element.attributes).length)
      if (parents.length === 0) root = element
    },
    onClose: () => false,
  })
  for (let at = 0; at < text.length;) {
    const end = findSliceEnd(text, at)
    const slice = text.slice(at, end)
    add(slice.split('&').length - 1)
    parser.write(allowControls(slice))
    at = end
    if (pace?.isOver) await pace.rest()
  }
  parser.close()
  if (root === undefined) throw fileOf('it has no element')
  return root
}

function createParser(visitor: XmlVisitor): SaxesParser {
  const parser = new SaxesParser()
  const open: XmlElement[] = []
  const addText = (text: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += text
  }
  parser.on('error', ({ message }) => {
    const [, line, column, problem = message] = /^(\d+):(\d+): (.*)$/s.exec(message) ?? []
    const place = line === undefined ? '' : ` at line ${line}, column ${column}`
    throw fileOf(`it is not well-formed XML${place}: ${problem.replace(/\.$/, '')}`)
  })
  parser.on('doctype', () => {
    throw fileOf('it has a DOCTYPE, which results do not need: entities could make it endless')
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length === MAX_DEPTH) throw fileOf(`its elements are nested over ${MAX_DEPTH} deep`)
    const element = { name: name.replace(/^.*:/, ''), attributes, children: [], text: '', line: parser.line }
    visitor.onOpen(element, open)
    open.push(element)
  })
  parser.on('closetag', () => {
    const element = open.pop() as XmlElement
    if (!visitor.onClose(element, open)) open.at(-1)?.children.push(element)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('comment', (text) => visitor.onComment?.(text))
  return parser
}

/** Longer than a reference such as `&#27;`, which is not cut in two. */
const MOST_REFERENCE = 16

function findSliceEnd(text: string, at: number): number {
  const end = at + SLICE_LENGTH
  if (end >= text.length) return text.length
  const reference = text.slice(end - MOST_REFERENCE, end).lastIndexOf('&')
  return reference < 0 ? end : end - MOST_REFERENCE + reference
}

// XML allows no control characters, and many tools write them all the same.
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|&#(?:x([0-9a-f]+)|(\d+));/gi

/** Escape sequences get the start that XML allows, for core to remove them whole; other forbidden characters go. */
function allowControls(xml: string): string {
  return xml.replace(CONTROLS, (found, hex?: string, decimal?: string) => {
    const code = found.startsWith('&') ? parseInt(hex ?? decimal ?? '', hex ? 16 : 10) : found.charCodeAt(0)
    if (code === 0x1b) return '\u009B'
    const isAllowed =
      [0x9, 0xa, 0xd].includes(code) ||
      (code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && (code & 0xfffe) !== 0xfffe)
    return isAllowed ? found : ''
  })
}
