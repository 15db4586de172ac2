import { type FilePath, ReadError } from './read-error'
import type { XmlElement } from './xml'

/** The place of an element, for messages. */
export function placeOf(element: XmlElement): FilePath {
  return [`line ${element.line}`]
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The first element at a path below another. */
export function find(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (one, name) => one?.children.find((child) => child.name === name),
    element,
  )
}

/** The text of an element; undefined when there is none. */
export function textOf(element: XmlElement | undefined): string | undefined {
  return element?.text.trim() || undefined
}

/** An attribute without spaces around it; undefined where it is blank. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes[name]?.trim() || undefined
}

const SPECIAL: Readonly<Record<string, number>> = {
  NAN: NaN,
  INF: Infinity,
  '+INF': Infinity,
  '-INF': -Infinity,
  INFINITY: Infinity,
  '-INFINITY': -Infinity,
}

/** A number as programs write it, `0x1F` and `1,5` among them. @throws ReadError */
export function readNumber(text: string | undefined, element: XmlElement): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const plain = text.trim()
  const special = SPECIAL[plain.toUpperCase()]
  if (special !== undefined) return special
  const value = Number(/^[+-]?\d+,\d+(?:e[+-]?\d+)?$/i.test(plain) ? plain.replace(',', '.') : plain)
  if (Number.isFinite(value)) return value
  throw new ReadError([
    {
      path: placeOf(element),
      message: `has "${plain.slice(0, 60)}", which must be a number (<${element.name}>)`,
    },
  ])
}
