// The small box beside the pointer that describes the element under it.

function tipBox() {
  return document.querySelector('.tip') ??
    document.body.appendChild(element('div', {class: 'tip', role: 'status', hidden: ''}));
}

function showTip(event, ...lines) {
  const box = tipBox();
  box.replaceChildren(...lines.map((line) => element('div', {}, line)));
  box.hidden = false;
  const gap = 14;
  const {width, height} = box.getBoundingClientRect();
  const fits = event.clientX + gap + width < window.innerWidth;
  box.style.left = `${Math.max(4, fits ? event.clientX + gap : event.clientX - gap - width)}px`;
  box.style.top = `${Math.max(4, Math.min(event.clientY + gap, window.innerHeight - height - 4))}px`;
}

function hideTip() {
  tipBox().hidden = true;
}
