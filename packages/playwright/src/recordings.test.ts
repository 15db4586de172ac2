import { expect, test } from 'vitest'
import { renderRecord } from '../../../test/support/render-record'
import { listRecordings, replay } from '../recordings/replay'

test.each(listRecordings())('maps the recorded execution %s as judged', async (name) => {
  await expect(renderRecord(replay(name))).toMatchFileSnapshot(`../recordings/${name}.record`)
})

test('maps a report that is merged days later as judged', async () => {
  const merged = ['verdicts-1.65.1', 'interrupted-1.65.1', 'global-timeout-1.65.1'].map((name) =>
    renderRecord(replay(name, { daysLater: 2 })),
  )
  await expect(merged.join('\n')).toMatchFileSnapshot('../recordings/merged-1.65.1.record')
})
