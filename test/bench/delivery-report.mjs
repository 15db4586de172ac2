// What a measured process tells about itself: seconds since a moment, and how much its peak memory has grown.
import { readFileSync } from 'node:fs'

/** Resident memory now, in bytes. */
const residentBytes = () => process.memoryUsage.rss()

/** Begins to measure: `finish` prints one line of JSON. */
export function startReport() {
  const idleBytes = residentBytes()
  const startedAt = performance.now()
  return {
    seconds: () => (performance.now() - startedAt) / 1000,
    finish: (facts) =>
      console.log(
        JSON.stringify({ ...facts, grownBytes: process.resourceUsage().maxRSS * 1024 - idleBytes }),
      ),
  }
}

/** The files to send, from the list that the first argument names. */
export function readFileList() {
  return JSON.parse(readFileSync(process.argv[2], 'utf8'))
}
