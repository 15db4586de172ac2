import type { PlacedAttachment } from '@runledger/presentation'
import { useId, useState } from 'react'
import { Button } from '../../ui/button'
import { addressOf } from './attachment-row'
import type { ComparedPictures } from './picture-groups'
import { Pictures } from './pictures'

const VIEWS = ['Diff', 'Actual', 'Expected', 'Side by side', 'Slider'] as const
type View = (typeof VIEWS)[number]

/** The expected picture and the one that came: where they differ, each by itself, side by side, or one over the other. */
export function PictureComparison({ name, expected, actual, diff }: ComparedPictures) {
  const titleId = useId()
  const left = expected && addressOf(expected.attachment)
  const right = addressOf(actual.attachment)
  const canSlide = left !== undefined && right !== undefined
  const alone: Partial<Record<View, PlacedAttachment | undefined>> = {
    Diff: diff,
    Actual: actual,
    Expected: expected,
  }
  const views = VIEWS.filter((view) =>
    view === 'Slider' ? canSlide : view === 'Side by side' || alone[view] !== undefined,
  )
  const [view, setView] = useState<View>(views[0] ?? 'Side by side')
  const shown = alone[view]
  return (
    <div role="group" aria-labelledby={titleId} className="rounded-md border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-sunken px-3 py-1">
        <p id={titleId} className="text-sm font-semibold wrap-anywhere">
          {name}
        </p>
        <div role="group" aria-label={`How to compare ${name}`} className="flex flex-wrap gap-1">
          {views.map((one) => (
            <Button key={one} look="bare" pressed={one === view} onClick={() => setView(one)}>
              {one}
            </Button>
          ))}
        </div>
      </div>
      <div className="p-3">
        {view === 'Slider' && canSlide ? (
          <Slider left={left} right={right} name={name} />
        ) : shown ? (
          <Pictures key={view} pictures={[shown]} look="whole" />
        ) : (
          <Pictures pictures={[expected, actual, diff].filter((one) => one !== undefined)} look="large" />
        )}
      </div>
    </div>
  )
}

const STEP_PERCENT = 1

function Slider({ left, right, name }: { left: string; right: string; name: string }) {
  const [percent, setPercent] = useState(50)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex justify-between text-sm">
        <span className="text-good">Expected, to the left</span>
        <span className="text-bad">Actual, to the right</span>
      </div>
      <div className="relative mx-auto w-fit max-w-full overflow-hidden border border-line bg-sunken">
        <img src={right} alt={`Actual ${name}`} className="block max-h-[70vh] max-w-full" />
        <img
          src={left}
          alt={`Expected ${name}`}
          style={{ clipPath: `inset(0 ${100 - percent}% 0 0)` }}
          className="absolute inset-0 size-full object-contain object-left-top"
        />
        <div
          aria-hidden
          style={{ left: `${percent}%` }}
          className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-accent"
        />
        <input
          type="range"
          min={0}
          max={100}
          step={STEP_PERCENT}
          value={percent}
          onChange={({ target }) => setPercent(Number(target.value))}
          aria-label={`How much of the expected ${name} is shown`}
          className="absolute inset-0 size-full cursor-ew-resize opacity-0 focus-visible:opacity-100"
        />
      </div>
    </div>
  )
}
