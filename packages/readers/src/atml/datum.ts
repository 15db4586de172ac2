import { joinNames, type TextList } from '../unit/text-list'
import type { XmlElement } from '../xml'
import { attributeOf, childrenOf, find, readNumber, textOf } from '../xml-tree'

export interface AtmlValue {
  value: number | string | boolean | number[] | undefined
  units: string | undefined
}

/** The value of a datum, or of an array of numbers; undefined for another collection. @throws ReadError */
export function readDatum(element: XmlElement): AtmlValue {
  const units =
    attributeOf(element, 'nonStandardUnit') ??
    attributeOf(element, 'standardUnit') ??
    attributeOf(element, 'unit')
  if (element.name === 'IndexedArray') return { value: readArray(element), units }
  if (element.name !== 'Datum') return { value: undefined, units }
  const kind = (attributeOf(element, 'type') ?? attributeOf(element, 'xsi:type') ?? '').toLowerCase()
  const text = attributeOf(element, 'value') ?? textOf(find(element, 'Value'))
  if (kind.includes('string') || kind.includes('path')) return { value: text ?? '', units }
  if (text === undefined) return { value: undefined, units }
  if (kind.includes('bool')) return { value: ['true', '1'].includes(text.toLowerCase()), units }
  if (/double|float|int|long|short|byte|number|decimal/.test(kind))
    return { value: readNumber(text, element), units }
  const number = Number(text)
  return { value: Number.isFinite(number) ? number : text, units }
}

function readArray(element: XmlElement): number[] | undefined {
  const elements = childrenOf(element, 'Element')
  const numbers = elements.map((one) =>
    Number(attributeOf(one, 'value') ?? textOf(find(one, 'Value')) ?? NaN),
  )
  return elements.length > 0 && numbers.every((one) => Number.isFinite(one)) ? numbers : undefined
}

/** Adds every value at or below an element, as `Name.Inner = value`. */
export function addLeaves(element: XmlElement, list: TextList, path: string): void {
  const isPart = element.name === 'Item' || element.name === 'Element'
  const name = isPart ? (attributeOf(element, 'name') ?? attributeOf(element, 'position')) : undefined
  const here = joinNames(path, name ?? '')
  const value = attributeOf(element, 'value') ?? (element.name === 'Value' ? textOf(element) : undefined)
  list.add(here, value ?? '')
  for (const child of element.children) addLeaves(child, list, here)
}
