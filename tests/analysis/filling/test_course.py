"""A few hundred stretches of a course, however long it is."""

from itermon.analysis.filling.course import Course

# The bounds as numbers of its own: from the code, a test would move with them.
MOST = 512


def test_a_long_course_keeps_its_lowest_and_highest_in_few_stretches() -> None:
    course = Course()
    for number in range(10 * MOST + 7):
        course.add(3 * number, float(number), number % 100)
    assert MOST // 2 < len(course.stretches) <= MOST
    assert course.samples == 10 * MOST + 7
    assert course.stretches[-1].iteration == 3 * (10 * MOST + 6)
    assert [stretch.at_s for stretch in course.stretches[:2]] == [15, 31]
    assert course.stretches[0][2:] == (0, 15)


def test_what_is_older_than_the_newest_is_left_out() -> None:
    course = Course()
    for iteration, at_s in ((5, 10.0), (4, 11.0), (6, 9.0), (5, 10.0)):
        course.add(iteration, at_s, 1.0)
    assert course.samples == 2
