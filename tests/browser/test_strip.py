"""The sentence of a long text: what is lit and out of its window's sight is told, and one click away."""

from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.explore import LONG, chip

FAR_DOWN = 220


def in_sight(page, at):
    return chip(page, at).evaluate(
        """(chip) => {
          const strip = chip.closest(".strip").getBoundingClientRect();
          const text = chip.firstChild.getBoundingClientRect();
          return text.bottom > strip.top && text.top < strip.bottom;
        }"""
    )


def test_what_is_lit_out_of_sight_is_told_and_brought_into_sight(page, server, settled):
    page.goto(server.at(f"/?layer=3&head=7&query={FAR_DOWN}&s={quote(LONG)}"))
    settled(page)
    said = page.locator(".beyond")
    assert not in_sight(page, 0)
    weight = float(chip(page, 0).get_attribute("title").split("weight ")[1])
    assert weight > 0.05, "the head rests on the first token"
    expect(said.get_by_role("button").first).to_have_text(f"CLS {weight:.2f} ↑".replace("0.", "."))
    said.get_by_role("button").first.focus()
    page.set_viewport_size({"width": 1300, "height": 900})
    settled(page)
    expect(said.get_by_role("button").first).to_be_focused()  # the line was written anew
    below = page.locator(".st-key-pair").bounding_box()["y"]
    said.get_by_role("button").first.click()
    assert in_sight(page, 0)
    expect(chip(page, 0)).to_be_focused()
    expect(said.get_by_role("button").filter(has_text="CLS")).to_have_count(0)
    assert page.locator(".st-key-pair").bounding_box()["y"] == below, "nothing moves as the strip scrolls"


def test_a_sentence_that_fits_has_no_such_line(page, server, settled):
    page.goto(server.at("/?layer=3&head=7"))
    settled(page)
    expect(page.locator(".beyond")).to_be_hidden()
    expect(page.locator(".st-key-strip button")).to_have_count(12)


def test_the_picture_stays_where_it_is_when_a_change_is_named(page, server, settled):
    places = []
    for link in ("/?layer=2&head=1", "/?layer=2&head=1&mask=causal%2Bhide:1&off=2-5.3-1"):
        page.goto(server.at(link))
        settled(page)
        places.append(page.locator(".st-key-heatmap canvas").bounding_box())
    assert places[0] == places[1]
