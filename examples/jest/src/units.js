'use strict'

/** Factors to the SI unit of each quantity. */
const UNITS = {
  length: { m: 1, mm: 0.001, cm: 0.01, km: 1000, in: 0.0254, ft: 0.3048, mi: 1609.344 },
  mass: { kg: 1, g: 0.001, t: 1000, lb: 0.45359237, oz: 0.028349523125 },
  time: { s: 1, ms: 0.001, min: 60, h: 3600, d: 86400 },
}

class UnknownUnitError extends Error {
  /** @param {string} unit */
  constructor(unit) {
    super(`unknown unit "${unit}"`)
    this.name = 'UnknownUnitError'
    this.unit = unit
  }
}

/**
 * @param {string} unit
 * @returns {{ quantity: string, factor: number }}
 */
function findUnit(unit) {
  for (const [quantity, factors] of Object.entries(UNITS)) {
    if (Object.hasOwn(factors, unit)) return { quantity, factor: factors[unit] }
  }
  throw new UnknownUnitError(unit)
}

/**
 * Converts a value between two units of one quantity.
 *
 * @param {number} value
 * @param {string} from
 * @param {string} to
 */
function convert(value, from, to) {
  const source = findUnit(from)
  const target = findUnit(to)
  if (source.quantity !== target.quantity) {
    throw new TypeError(`cannot convert ${source.quantity} (${from}) to ${target.quantity} (${to})`)
  }
  return (value * source.factor) / target.factor
}

module.exports = { convert, UnknownUnitError }
