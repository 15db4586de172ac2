import type { OperationName, OperationResult } from '@runledger/protocol'
import {
  createHistoryLinks,
  formatBuildList,
  formatBuildPage,
  formatBuildTests,
  formatComparison,
  formatErrorList,
  formatErrorPage,
  formatExplanation,
  formatFound,
  formatGaugeStudy,
  formatHome,
  formatLineFailures,
  formatLineMeasurement,
  formatLineUnit,
  formatTestList,
  formatTestPage,
  formatWhereUsed,
  formatYieldList,
  type HistoryLinks,
} from '@runledger/presentation'
import { perform } from './perform'
import type { MarkdownPage } from './markdown-page'

/** Has the parameters and the query of the operation. */
export interface OperationPage extends MarkdownPage {
  of: OperationName
}

type Format<Name extends OperationName> = (
  response: OperationResult<Name>,
  links: HistoryLinks,
  params: Readonly<Record<string, string>>,
) => string

function definePage<Name extends OperationName>(of: Name, path: string, format: Format<Name>): OperationPage {
  return {
    of,
    path,
    operation: `${of}Markdown`,
    write: async (context, { principal, params, query, signal }) => {
      const sent = { principal, headers: {}, params, query, takeBody: () => undefined, isLong: false, signal }
      const response = await perform(context, of, sent)
      const links = createHistoryLinks(context.publicUrl)
      return format(response as OperationResult<Name>, links, params as Record<string, string>)
    },
  }
}

export const OPERATION_PAGES: readonly OperationPage[] = [
  definePage('getHome', '/home.md', formatHome),
  definePage('search', '/search.md', formatFound),
  definePage('listBuilds', '/builds.md', formatBuildList),
  definePage('getBuild', '/builds/{group}.md', formatBuildPage),
  definePage('listBuildTests', '/builds/{group}/tests.md', (page, links, { group = '' }) =>
    formatBuildTests(page, group, links),
  ),
  definePage('compareBuilds', '/compare.md', formatComparison),
  definePage('listTests', '/tests.md', formatTestList),
  definePage('getTest', '/tests/{id}.md', formatTestPage),
  definePage('listErrors', '/errors.md', formatErrorList),
  definePage('getError', '/errors/{fingerprint}.md', formatErrorPage),
  definePage('explainFailures', '/explanation.md', (explanation, { run }) =>
    formatExplanation(explanation, { linkRun: run }),
  ),
  definePage('listYields', '/line/yields.md', formatYieldList),
  definePage('listLineFailures', '/line/failures.md', formatLineFailures),
  definePage('getLineMeasurement', '/line/measurement.md', formatLineMeasurement),
  definePage('getGaugeStudy', '/line/gauge.md', formatGaugeStudy),
  definePage('listWhereUsed', '/line/where-used.md', formatWhereUsed),
  definePage('getLineUnit', '/line/unit.md', formatLineUnit),
]
