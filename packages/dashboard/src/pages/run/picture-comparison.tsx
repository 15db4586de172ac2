import { useId, useState } from 'react'
import { Button } from '../../ui/button'
import { addressOf } from './attachment-row'
import type { ComparedPictures } from './picture-groups'
import { Pictures } from './pictures'

/** The expected picture and the one that came, side by side or one over the other with a slider between them. */
export function PictureComparison({ name, expected, actual, diff }: ComparedPictures) {
  const [hasSlider, setHasSlider] = useState(false)
  const titleId = useId()
  const pictures = [expected, actual, diff].filter((picture) => picture !== undefined)
  const left = expected && addressOf(expected.attachment)
  const right = addressOf(actual.attachment)
  const canSlide = left !== undefined && right !== undefined
  return (
    <div role="group" aria-labelledby={titleId} className="rounded-md border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-sunken px-3 py-1">
        <p id={titleId} className="text-sm font-semibold wrap-anywhere">
          {name}
        </p>
        {canSlide && (
          <div role="group" aria-label={`How to compare ${name}`} className="flex gap-1">
            <Button look="bare" pressed={!hasSlider} onClick={() => setHasSlider(false)}>
              Side by side
            </Button>
            <Button look="bare" pressed={hasSlider} onClick={() => setHasSlider(true)}>
              Slider
            </Button>
          </div>
        )}
      </div>
      <div className="p-3">
        {canSlide && hasSlider ? (
          <Slider left={left} right={right} name={name} />
        ) : (
          <Pictures pictures={pictures} areLarge />
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
