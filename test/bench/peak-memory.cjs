// Preloaded into a measured command: its own process, not its workers, writes down its peak memory and what its heap holds
// after a collection, in bytes.
const file = process.env.BENCH_PEAK_FILE
delete process.env.BENCH_PEAK_FILE
if (file !== undefined) {
  process.once('exit', () => {
    require('node:v8').setFlagsFromString('--expose-gc')
    require('node:vm').runInNewContext('gc')()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    require('node:fs').writeFileSync(
      file,
      JSON.stringify({ peakBytes, heapBytes: process.memoryUsage().heapUsed }),
    )
  })
}
