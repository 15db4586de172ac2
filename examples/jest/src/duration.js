'use strict'

const { convert } = require('./units')

const PART = /(\d+(?:\.\d+)?)(ms|min|s|h|d)/gy

/**
 * Parses a duration such as `1h 30min` or `250ms` into seconds.
 *
 * @param {string} text
 */
function parseDuration(text) {
  const compact = text.replaceAll(/\s+/g, '')
  const parts = [...compact.matchAll(PART)]
  const isWhole = compact !== '' && parts.map(([part]) => part).join('') === compact
  if (!isWhole) throw new SyntaxError(`not a duration: "${text}"`)
  return parts.reduce((seconds, [, value, unit]) => seconds + convert(Number(value), unit, 's'), 0)
}

/**
 * Formats seconds in the two largest units that matter: `1h 30min`, `2.5s`.
 *
 * @param {number} seconds
 */
function formatDuration(seconds) {
  if (seconds < 60) return `${Number(seconds.toFixed(3))}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return join(`${minutes}min`, Math.floor(seconds % 60), 's')
  return join(`${Math.floor(minutes / 60)}h`, minutes % 60, 'min')
}

/**
 * @param {string} head
 * @param {number} rest
 * @param {string} unit
 */
function join(head, rest, unit) {
  return rest === 0 ? head : `${head} ${rest}${unit}`
}

module.exports = { parseDuration, formatDuration }
