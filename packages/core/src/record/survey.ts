import type { Attempt, Suite, SuiteTest } from '../model/suite'
import { formatStepName, joinCleanTitles } from './step-name'

/**
 * What one walk through a suite's tests has found, for whoever would walk through them again. Most tests are plain: they
 * passed at their only try, have no more to tell than that, and their titles are a name as they are.
 */
export class Survey {
  /** Of each test, as `formatStepName` has it. */
  readonly names: readonly string[]
  /** The tests that are not plain, in order. */
  readonly special: readonly SuiteTest[]

  constructor(suite: Suite) {
    const names: string[] = []
    const special: SuiteTest[] = []
    suite.tests.forEach((test) => {
      const { titles, outcome, flaky, note, attempts } = test
      const name = joinCleanTitles(titles)
      names.push(name ?? formatStepName(titles))
      if (name === undefined || outcome !== 'passed' || flaky || note !== undefined || attempts.length !== 1)
        return void special.push(test)
      const { errors, output, attachments, said } = attempts[0] as Attempt
      if (errors.length + output.length + attachments.length > 0 || said !== undefined) special.push(test)
    })
    this.names = names
    this.special = special
  }
}

/** Surveys of suites, each made when it is first asked for. They hold as long as nobody changes the suites. */
export class Surveys {
  readonly #made = new Map<Suite, Survey>()

  of(suite: Suite): Survey {
    let survey = this.#made.get(suite)
    if (survey === undefined) {
      survey = new Survey(suite)
      this.#made.set(suite, survey)
    }
    return survey
  }

  /** The suite was changed. */
  forget(suite: Suite): void {
    this.#made.delete(suite)
  }
}
