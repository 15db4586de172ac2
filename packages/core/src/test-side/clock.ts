import { getBuiltIn } from './built-in'

const NATIVE = /\[native code\]/

/**
 * A clock that tests cannot mock: milliseconds since the Unix epoch, with fractions. Taken when this code is loaded;
 * where `Date` is a fake already, a fresh one tells the time.
 */
export function createClock(): () => number {
  const count = findCounter()
  const offsetMs = readDate() - count()
  return () => offsetMs + count()
}

/** Counts milliseconds from anywhere. Jest's fake timers know the test's own `process` object only, not Node's. */
function findCounter(): () => number {
  const hrtime = getBuiltIn<NodeJS.Process>('node:process')?.hrtime
  if (hrtime === undefined) return performance.now.bind(performance)
  return () => {
    const [seconds, nanoseconds] = hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  }
}

function readDate(): number {
  if (NATIVE.test(Function.prototype.toString.call(Date.now))) return Date.now()
  const vm = getBuiltIn<{ runInNewContext: (code: string) => unknown }>('node:vm')
  return vm === undefined ? Date.now() : Number(vm.runInNewContext('Date.now()'))
}
