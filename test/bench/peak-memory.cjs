// Preloaded into a measured command: its own process, not its workers, writes down its peak memory in bytes.
const file = process.env.BENCH_PEAK_FILE
delete process.env.BENCH_PEAK_FILE
if (file !== undefined) {
  process.once('exit', () => {
    require('node:fs').writeFileSync(file, String(process.resourceUsage().maxRSS * 1024))
  })
}
